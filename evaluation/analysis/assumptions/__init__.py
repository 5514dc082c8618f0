"""What the tests of a board assume, and what its values say of that."""
