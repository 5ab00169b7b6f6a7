"""How a dataset and its description look in a notebook and in a report."""
