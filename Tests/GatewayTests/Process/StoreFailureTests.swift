import Configuration
import Store
import Testing

@testable import Gateway

@Suite("A database that cannot be opened")
struct StoreFailureTests {
  private let refusal = StoreError.inaccessible(
    path: "the database of store.url", reason: "password authentication failed")

  @Test("PostgreSQL refusing the server is a configuration error")
  func refused() {
    var settings = Settings().store
    settings.url = Secret("postgresql://parley:hush@db/parley")
    let failures = [refusal, .newerSchema(path: "the database"), .damaged(path: "x", reason: "y")]
    for failure in failures {
      let shown = failure.asFailure(of: settings)
      #expect(shown is UnusableSetting)
      #expect("\(shown)".hasPrefix("store.url: ") && !"\(shown)".contains("hush"))
    }
    #expect(StoreError.overloaded.asFailure(of: settings) is StoreError)
  }

  @Test("a directory that cannot be used may be in use by another server")
  func directory() {
    #expect(refusal.asFailure(of: Settings().store) is StoreError)
  }
}
