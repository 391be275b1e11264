// GatewayTests
