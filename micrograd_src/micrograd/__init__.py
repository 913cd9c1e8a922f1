"""The engine that the course builds: engine, nn, and ways to look at a graph."""
