internal import ClientTransport

/// The position in a list that is read in pages.
final class PagedReading: Sendable {
  private enum State {
    /// The token of the next page; `nil` for the first.
    case ready(token: String?)
    case loading
    case ended
  }

  private let state = Locked(State.ready(token: nil))

  /// Whether there may be another page.
  var hasNext: Bool {
    state.withLock { if case .ended = $0 { false } else { true } }
  }

  /// Whether a page is being loaded.
  var isLoading: Bool {
    state.withLock { if case .loading = $0 { true } else { false } }
  }

  /// Loads the next page; after a failure the same page can be loaded again.
  ///
  /// - Returns: An empty list after the last page, and while another call is loading.
  func next<Item: Sendable>(
    _ load: (_ token: String?) async throws(ParleyError) -> LoadedPage<Item>
  ) async throws(ParleyError) -> [Item] {
    guard let token = begin() else { return [] }
    do throws(ParleyError) {
      let page = try await load(token.value)
      state.withLock { $0 = page.next.isEmpty ? .ended : .ready(token: page.next) }
      return page.items
    } catch {
      state.withLock { $0 = .ready(token: token.value) }
      throw error
    }
  }

  /// The place to read from, unless there is none or another call is loading.
  private struct Place { let value: String? }

  private func begin() -> Place? {
    state.withLock {
      guard case .ready(let token) = $0 else { return nil }
      $0 = .loading
      return Place(value: token)
    }
  }
}

/// A page of a list, and the token of the next page, which is empty at the end.
struct LoadedPage<Item: Sendable>: Sendable {
  let items: [Item]
  let next: String
}
