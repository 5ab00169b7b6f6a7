"""What a cell says: numbers, times, codes, and the kind that a whole column has."""
