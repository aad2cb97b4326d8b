"""How the simulated model understands and solves problems: one module a family of `world.tasks`."""
