"""Loaded dice: two players with different sets, or one turn of any set, exactly."""
