import HTTP
import Testing
import Transport

@Suite("Query policies of routes")
struct QueryPolicyTests {
  private let policy = QueryPolicy.only(["limit", "user_ids"], withoutEffect: ["show_bot"])

  private func excess(_ query: String?, _ policy: QueryPolicy) throws -> String? {
    policy.excess(of: try #require(QueryParameters(query)))
  }

  @Test("parameters that are read, without effect or without a value are accepted")
  func fits() throws {
    for query in [nil, "", "limit=1&user_ids=a%2Cb", "show_bot=true", "other=&another"] {
      #expect(try excess(query, policy) == nil)
    }
  }

  @Test("the first other parameter by name is refused")
  func excess() throws {
    #expect(try excess("limit=1&b=x&a=y", policy) == "a")
    #expect(try excess("Limit=1", policy) == "Limit")
    #expect(try excess("user_ids%5B%5D=a", policy) == "user_ids[]")
    #expect(try excess("limit=1", .only([])) == "limit")
  }

  @Test("a route without a policy accepts any parameter")
  func any() throws {
    #expect(try excess("a=1", .any) == nil)
    #expect(QueryPolicy.any.names.isEmpty && policy.names == ["limit", "user_ids"])
  }
}
