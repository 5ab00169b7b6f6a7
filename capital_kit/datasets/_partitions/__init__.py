"""The record of data larger than memory: states of partitions that merge."""
