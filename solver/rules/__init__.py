"""What people agree on: rule sets, their files, and what is wrong with them."""
