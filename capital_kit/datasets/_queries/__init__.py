"""Questions to a dataset: the structured language, SQL, periods, stored results."""
