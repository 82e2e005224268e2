"""How a solved game is played: advice, policies, matches and estimates."""
