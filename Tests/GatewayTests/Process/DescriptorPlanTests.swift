import Testing

@testable import Gateway

@Suite("The plan for file descriptors")
struct DescriptorPlanTests {
  @Test(
    "a reserve is kept: 256, or a quarter of few descriptors",
    arguments: [(1_048_576, 1_048_320), (2048, 1792), (1024, 768), (256, 192), (4, 3), (1, 1)])
  func reserve(limit: Int, clients: Int) {
    #expect(DescriptorPlan(limit: limit).webSockets(0) == clients)
    #expect(DescriptorPlan(limit: limit).webSockets(10) == min(10, clients))
  }
}
