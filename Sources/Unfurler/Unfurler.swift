// Unfurler
