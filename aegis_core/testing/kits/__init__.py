"""The kits for injectors, attributors, learners and formats, a module each, and what makes a class of checks a kit."""
