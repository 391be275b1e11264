internal import Foundation
internal import ParleyProtocol

/// Follows a list from page to page, of which one is held at a time.
struct PageWalk {
  private static let pageSize = "100"

  let client: PlatformClient
  let list: PagedList

  /// Hands over the elements of each page until the list ends.
  ///
  /// - Parameter token: Where to begin; `nil` for the list's beginning.
  func forEachPage(from token: String?, _ take: ([JSONNode]) throws -> Void) throws {
    var token = token
    repeat {
      let place = token.map { [("token", $0)] } ?? []
      let answer = try client.callPatiently(
        list.path, query: list.query + [("limit", Self.pageSize)] + place)
      let page = try OutputOptions.root(of: answer)
      try take(page.list(list.member))
      let next = page.text("next")
      guard next.isEmpty || next != token else {
        throw CommandFailure.unreachable("the list does not go on: its next page is the same again")
      }
      token = next.isEmpty ? nil : next
    } while token != nil
  }
}

extension PlatformClient {
  private static let tooManyCalls = 500_910
  private static let patience = 10

  /// Reads, and waits when it was too soon: a long list takes many calls.
  func callPatiently(_ path: String, query: [(String, String)]) throws -> [UInt8] {
    for _ in 0..<Self.patience {
      do {
        return try call("GET", path, query: query)
      } catch CommandFailure.refused(_, Self.tooManyCalls) {
        Thread.sleep(forTimeInterval: 1)
      }
    }
    return try call("GET", path, query: query)
  }
}
