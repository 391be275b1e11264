package import Reactor

/// The place where the bytes of files are kept: a directory, or objects in S3.
///
/// A file is received under an id of its own, becomes readable when it is complete, and is never
/// changed. Nothing here blocks the caller but ``prepare()``, ``open(_:)`` and ``close()``.
/// Completions run on the depot's threads, or at once on the caller's, and must be brief.
///
/// An unfinished file is stored under the file's id as well, where every server finds it that uses the
/// same place: `uploads/{id}` and `partial/{id}` of a directory. Another server continues an upload by
/// the id and the offset alone.
package protocol FileDepot: AnyObject, Sendable {
  /// Makes the place ready, and begins to remove what earlier processes were receiving when they
  /// ended.
  ///
  /// Called once, before everything but ``remove(_:completion:)``, with the store's lock held.
  ///
  /// - Throws: ``StoreError`` when the place cannot be used and waiting would not help.
  func prepare() throws

  /// Whether more bytes may be stored without using up the reserve, as far as is known.
  ///
  /// Asks the file system.
  func hasRoom(for byteCount: Int64) -> Bool

  /// Begins to receive a file.
  ///
  /// - Parameter id: An id that no other file has; see ``FileID``.
  func beginUpload(_ id: String) -> any FileUpload

  /// Begins to receive the new content of a complete file, which stays as it is until that is
  /// complete, and when that fails.
  ///
  /// Several attempts at the same file do not meet: each has a place of its own.
  func beginReplacement(of id: String) -> any FileUpload

  /// Continues to receive a file that may come over several requests, or begins to.
  ///
  /// One request does at a time; the store sees to that.
  func continueUpload(
    _ request: PartialFileRequest, completion: @escaping FileCompletion<any PartialFile>)

  /// Opens a complete file; it stays readable until it is let go, where the place allows that.
  func open(_ id: String) throws(FileReadError) -> ReadableFile

  /// Removes files, complete or not; one that is not there is removed already.
  ///
  /// - Parameter completion: Called once they are gone for good; with a failure when the depot gives
  ///   up, and never when it is closed first.
  func remove(
    _ ids: [String], completion: @escaping @Sendable (Result<Void, any Error>) -> Void)

  /// Lists complete files that an earlier process may have left without a message.
  ///
  /// No file is among them that a server still receives or is about to store the message of.
  ///
  /// - Parameter token: The ``FilePage/next`` of the page before; `nil` for the first.
  func suspects(
    after token: String?,
    completion: @escaping @Sendable (Result<FilePage, any Error>) -> Void)

  /// Ends; a directory carries out first what was asked for.
  ///
  /// Blocks meanwhile.
  func close()
}

extension FileDepot {
  /// A place of unknown size has room.
  package func hasRoom(for byteCount: Int64) -> Bool { true }
}

/// A part of a list of files.
package struct FilePage: Sendable {
  package var ids: [String]
  /// The token of the next part; `nil` at the end.
  package var next: String?

  package init(ids: [String], next: String?) {
    self.ids = ids
    self.next = next
  }
}

/// A file that is being received.
///
/// Requests are carried out in order. No file exists until the upload is complete, and an upload that
/// is released before leaves nothing.
package protocol FileUpload: AnyObject, Sendable {
  /// The id of the file.
  var id: String { get }

  /// The bytes that were taken and are still in memory.
  var heldByteCount: Int { get }

  /// Appends bytes; once that has failed, nothing succeeds any more.
  ///
  /// - Parameter completion: Called when more may come without filling memory.
  func write(
    _ bytes: [UInt8], completion: @escaping @Sendable (Result<Void, any Error>) -> Void)

  /// Makes the file complete, under its id, for good.
  func complete(completion: @escaping @Sendable (Result<Void, any Error>) -> Void)

  /// Removes what has come of it; a file that is complete is left alone.
  func discard()
}

/// A complete file that can be read.
package enum ReadableFile: Sendable {
  /// On a file system, from which the kernel sends it.
  case local(OpenFile)
  /// Elsewhere, read in stretches.
  case remote(any RemoteFile)
}

/// A complete file on another machine.
package protocol RemoteFile: Sendable {
  /// The most bytes that one stretch may have.
  var maximumStretch: Int { get }

  /// Finds out how long the file is.
  func measure(
    completion: @escaping @Sendable (Result<Int64, FileReadError>) -> Void
  ) -> FileReading

  /// Reads a stretch whole; never an empty one, and none beyond the end.
  func read(
    _ range: Range<Int64>,
    completion: @escaping @Sendable (Result<FileStretch, FileReadError>) -> Void
  ) -> FileReading
}

/// A stretch of a file.
package struct FileStretch: Sendable {
  package let bytes: [UInt8]
  /// The length of the whole file.
  package let fileByteCount: Int64

  package init(bytes: [UInt8], fileByteCount: Int64) {
    self.bytes = bytes
    self.fileByteCount = fileByteCount
  }
}

/// A read under way.
package struct FileReading: Sendable {
  private let end: @Sendable () -> Void

  /// - Parameter end: Ends the read, unless it has ended.
  package init(end: @escaping @Sendable () -> Void) { self.end = end }

  /// Ends it, without a call of its completion but for one that is under way.
  package func cancel() { end() }
}

/// The reason why a file cannot be read.
package enum FileReadError: Error, Sendable, Hashable {
  /// There is no such file.
  case missing
  /// The file is not what was stored.
  case damaged(reason: String)
  /// The place fails now.
  case unavailable(reason: String)
}
