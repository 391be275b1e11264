// UnfurlerTests
