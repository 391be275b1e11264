internal import Dispatch

/// The bytes of a file to upload.
public struct FileContent: Sendable, Hashable {
  enum Source: Sendable, Hashable {
    case path(String)
    case bytes([UInt8])
    case pieces(PieceSource)
  }

  let source: Source

  /// A regular file, read while it is uploaded.
  public static func path(_ path: String) -> FileContent {
    FileContent(source: .path(path))
  }

  /// Bytes in memory.
  public static func bytes(_ bytes: [UInt8]) -> FileContent {
    FileContent(source: .bytes(bytes))
  }

  /// A sequence of pieces of any length.
  ///
  /// The sequence is iterated from its beginning when a sending is repeated, or when the server
  /// lost the bytes it had.
  ///
  /// - Parameter size: The total number of bytes of all pieces; a negative number counts as 0.
  public static func sequence<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, size: Int64
  ) -> FileContent where Pieces.Element == [UInt8] {
    let source = PieceSource(size: max(0, size)) {
      var iterator = pieces.makeAsyncIterator()
      return { try await iterator.next() }
    }
    return FileContent(source: .pieces(source))
  }

  /// The name of the file at a path; empty for other contents.
  var name: String {
    switch source {
    case .path(let path): path.split(separator: "/").last.map(String.init) ?? ""
    case .bytes, .pieces: ""
    }
  }

  /// The number of bytes if it is known without opening a file.
  var knownSize: Int64? {
    switch source {
    case .path: nil
    case .bytes(let bytes): Int64(bytes.count)
    case .pieces(let pieces): pieces.size
    }
  }
}

/// A sequence of pieces that can be iterated again; compared by identity.
final class PieceSource: Sendable, Hashable {
  typealias Next = () async throws -> [UInt8]?

  let size: Int64
  let begin: @Sendable () -> Next

  init(size: Int64, begin: @escaping @Sendable () -> Next) {
    self.size = size
    self.begin = begin
  }

  static func == (one: PieceSource, other: PieceSource) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Reads a content piece by piece, mostly forwards; used by one task.
final class FileReader {
  private enum Source {
    case file(SourceFile)
    case bytes([UInt8])
    case pieces(PieceSource)
  }

  let size: Int64
  private let source: Source
  private var next: PieceSource.Next?
  /// Bytes that may be read again, and the offset of the first.
  private var kept: [UInt8] = []
  private var keptFrom: Int64 = 0

  /// - Throws: ``ParleyError/unreadableFile(_:)``.
  init(_ content: FileContent) async throws(ParleyError) {
    switch content.source {
    case .path(let path):
      let file = try await Self.offThread { () throws(ParleyError) in try SourceFile(path) }
      (source, size) = (.file(file), file.byteCount)
    case .bytes(let bytes): (source, size) = (.bytes(bytes), Int64(bytes.count))
    case .pieces(let pieces): (source, size) = (.pieces(pieces), pieces.size)
    }
  }

  /// Reads bytes within the size.
  ///
  /// - Throws: ``ParleyError/unreadableFile(_:)``, also when the content is shorter than its size.
  func read(from offset: Int64, count: Int) async throws(ParleyError) -> [UInt8] {
    let bytes: [UInt8]
    switch source {
    case .bytes(let content): bytes = Array(content[Int(offset)...].prefix(count))
    case .file(let file):
      bytes = try await Self.offThread { () throws(ParleyError) in
        try file.read(from: offset, count: count)
      }
    case .pieces(let pieces): bytes = try await read(pieces, from: offset, count: count)
    }
    guard bytes.count == count else {
      throw .unreadableFile("it has fewer than \(size) bytes")
    }
    return bytes
  }

  private func read(
    _ pieces: PieceSource, from offset: Int64, count: Int
  ) async throws(ParleyError) -> [UInt8] {
    if next == nil || offset < keptFrom { (next, kept, keptFrom) = (pieces.begin(), [], 0) }
    guard let next else { return [] }
    while keptFrom + Int64(kept.count) < offset + Int64(count) {
      let passed = min(Int(offset - keptFrom), kept.count)
      kept.removeFirst(passed)
      keptFrom += Int64(passed)
      do {
        guard let piece = try await next() else { break }
        kept += piece
      } catch {
        throw .unreadableFile("\(error)")
      }
    }
    return Array(kept.dropFirst(Int(offset - keptFrom)).prefix(count))
  }

  private static let queue = DispatchQueue(
    label: "parley-client.files", attributes: .concurrent)

  private static func offThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ParleyError) -> Value
  ) async throws(ParleyError) -> Value {
    let result: Result<Value, ParleyError> = await withCheckedContinuation { waiter in
      queue.async {
        do throws(ParleyError) {
          waiter.resume(returning: .success(try work()))
        } catch {
          waiter.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}
