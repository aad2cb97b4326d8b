"""The checks of the conformance kit, a module a subject. `AdapterConformance` is made of them."""
