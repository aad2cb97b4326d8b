"""What is seen of a graph that runs: callbacks, the frames that they tell of, and the turns of one run."""
