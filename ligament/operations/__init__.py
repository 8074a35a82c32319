"""Operations: the work of commands, done in supervised processes."""
