internal import Basics

/// The keys of one stored file: one key, or further keys that each apply from some chunk on.
///
/// An upload that continues after chunks were sealed and lost uses another key: their numbers are used
/// again with other bytes. All chunks after that point have a key that sealed none of the chunks before
/// it.
package struct FileKeys: Sendable {
  private struct Run {
    let firstChunk: UInt32
    let key: SymmetricKey
  }

  /// The keys in the order of their chunks; the first begins with chunk 0.
  private var runs: [Run]

  /// A key for a new file.
  package init(_ key: SymmetricKey = SymmetricKey()) {
    runs = [Run(firstChunk: 0, key: key)]
  }

  /// The key of further chunks.
  package var last: SymmetricKey { runs[runs.count - 1].key }

  /// The key of a chunk.
  package func key(ofChunk index: UInt32) -> SymmetricKey {
    runs[runs.lastIndex { $0.firstChunk <= index } ?? 0].key
  }

  /// The key of a thumbnail of the file, derived from the file's last key.
  ///
  /// - Parameter id: The id of the thumbnail in the depot.
  package func ofThumbnail(_ id: String) -> FileKeys {
    FileKeys(last.derived(for: "parley thumbnail \(id)"))
  }

  /// The keys with a new one from a chunk on.
  package func renewed(fromChunk index: UInt32) -> FileKeys {
    var keys = self
    keys.runs.removeAll { $0.firstChunk >= index }
    keys.runs.append(Run(firstChunk: index, key: SymmetricKey()))
    return keys
  }
}

/// The keys of one stored file, wrapped with a master key.
package struct WrappedKeys: Hashable, Sendable {
  /// The id of the master key.
  package let masterKeyID: String
  /// For each key the number of its first chunk, in 4 bytes in big-endian order, and the wrapped key.
  package let bytes: [UInt8]

  private static let wrappedByteCount = 60
  private static let runByteCount = 4 + wrappedByteCount

  /// Creates keys from the values in the store.
  package init(masterKeyID: String, bytes: [UInt8]) {
    self.masterKeyID = masterKeyID
    self.bytes = bytes
  }
}

extension FileKeys {
  /// Wraps the keys with the current master key.
  package func wrapped(ofFile fileID: String, with masters: MasterKeys) -> WrappedKeys {
    var bytes: [UInt8] = []
    for run in runs {
      for shift in stride(from: 24, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: run.firstChunk >> UInt32(shift)))
      }
      let kind = WrappedKey.Kind.chunks(from: run.firstChunk)
      bytes += WrappedKey(run.key, of: kind, ofFile: fileID, with: masters).sealed
    }
    return WrappedKeys(masterKeyID: masters.current.id, bytes: bytes)
  }
}

extension WrappedKeys {
  /// Unwraps the keys.
  package func open(
    ofFile fileID: String, with masters: MasterKeys
  ) throws(WrappedKeyError) -> FileKeys {
    guard !bytes.isEmpty, bytes.count.isMultiple(of: Self.runByteCount) else {
      throw .notAuthentic
    }
    var keys: FileKeys?
    for start in stride(from: 0, to: bytes.count, by: Self.runByteCount) {
      let first = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let sealed = Array(bytes[start + 4..<start + Self.runByteCount])
      let key = try WrappedKey(masterKeyID: masterKeyID, sealed: sealed)
        .open(of: .chunks(from: first), ofFile: fileID, with: masters)
      guard let before = keys else {
        guard first == 0 else { throw .notAuthentic }
        keys = FileKeys(key)
        continue
      }
      keys = before.appending(key, fromChunk: first)
    }
    guard let keys else { throw .notAuthentic }
    return keys
  }

  /// Wraps the same keys with the current master key; `nil` when they are wrapped with it already.
  package func rewrapped(
    ofFile fileID: String, with masters: MasterKeys
  ) throws(WrappedKeyError) -> WrappedKeys? {
    guard masterKeyID != masters.current.id else { return nil }
    return try open(ofFile: fileID, with: masters).wrapped(ofFile: fileID, with: masters)
  }
}

extension FileKeys {
  fileprivate func appending(_ key: SymmetricKey, fromChunk index: UInt32) -> FileKeys {
    var keys = self
    keys.runs.append(Run(firstChunk: index, key: key))
    return keys
  }
}
