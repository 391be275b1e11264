// ParleyProtocolTests
