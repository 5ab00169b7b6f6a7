"""The facts of the record: columns, roles, time axis, quality."""
