"""What a file or a frame holds: containers, encodings, layouts, headers, tables."""
