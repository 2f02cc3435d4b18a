"""The programs that are measured, each started alone in a folder of its own."""
