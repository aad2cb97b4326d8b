"""What the rules write: instructions in many wordings, and conclusions said in another form."""
