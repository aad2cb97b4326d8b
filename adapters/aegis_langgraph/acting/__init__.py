"""Taking hold of a graph: the rebuilt graph, one visit of a node from arrival to departure, and tapped calls."""
