// ConfigurationTests
