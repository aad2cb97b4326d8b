"""What tests of the adapter need, and is of use to others who test with crews."""
