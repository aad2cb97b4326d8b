"""What is put around the objects of a system while a run is attached to it: agents, teams, managers, models, tools."""
