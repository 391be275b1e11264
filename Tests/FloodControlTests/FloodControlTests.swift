// FloodControlTests
