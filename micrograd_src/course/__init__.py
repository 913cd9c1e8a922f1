"""What the notebooks and the site use around the engine."""
