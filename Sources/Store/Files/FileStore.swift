import Crypto

/// The files of messages: received, kept and read back.
package final class FileStore: Sendable {
  private let depot: any FileDepot

  /// Opens the files of a depot; the store must hold its lock already.
  package init(_ depot: any FileDepot) throws {
    try depot.prepare()
    self.depot = depot
  }

  /// Begins to receive a file.
  package func beginUpload() -> any FileUpload {
    depot.beginUpload(FileID.make())
  }

  /// Continues to receive a file that may come over several requests, or begins to.
  package func continueUpload(
    _ request: PartialFileRequest, completion: @escaping FileCompletion<any PartialFile>
  ) {
    depot.continueUpload(request, completion: completion)
  }

  /// Opens a file to be sent.
  package func open(_ id: String) throws(FileReadError) -> ReadableFile {
    try depot.open(id)
  }

  /// Removes a complete file that no message came to have.
  package func remove(_ id: String) {
    depot.remove([id]) { _ in }
  }

  /// Removes the files that were complete when an earlier process ended, but whose messages were not
  /// stored.
  package func collectOrphans(in store: Store) {
    collect(after: nil, in: store)
  }

  /// Ends; blocks until what was asked for is carried out or given up.
  package func close() {
    depot.close()
  }

  private static let batch = 500

  private func collect(after token: String?, in store: Store) {
    depot.suspects(after: token) { [self, weak store] result in
      guard case .success(let page) = result, let store else { return }
      collect(page.ids[...], of: page, in: store)
    }
  }

  private func collect(_ ids: ArraySlice<String>, of page: FilePage, in store: Store) {
    guard !ids.isEmpty else {
      if let next = page.next { collect(after: next, in: store) }
      return
    }
    let (now, later) = (Array(ids.prefix(Self.batch)), ids.dropFirst(Self.batch))
    store.lookUp {
      try $0.knownFiles(now)
    } completion: { [self, weak store] result in
      guard case .success(let known) = result, let store else { return }
      for id in now where !known.contains(id) { remove(id) }
      collect(later, of: page, in: store)
    }
  }
}

/// The name of a file in the store: 128 random bits, which nobody guesses.
package enum FileID {
  /// Makes a new one.
  package static func make() -> String {
    SecureRandom.hex(byteCount: 16)
  }

  /// Whether a text could be one; no other may become part of a path.
  package static func isValid(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
