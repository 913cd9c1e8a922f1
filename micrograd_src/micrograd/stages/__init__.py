"""The class Value as it stands at the end of each chapter; the chapters are the source."""
