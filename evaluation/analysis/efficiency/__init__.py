"""What runs achieve beside what they cost, by the time, energy or money that their ir_metadata give."""
