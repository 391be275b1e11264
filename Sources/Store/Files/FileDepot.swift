package import Reactor

/// The place where the bytes of files are kept: a directory, or objects in S3.
///
/// A file is received under an id of its own, becomes readable when it is complete, and never changes.
/// Only ``prepare()``, ``open(_:)`` and ``close()`` block the caller. Completions run on the depot's
/// threads, or at once on the caller's, and must be brief.
///
/// An unfinished file is stored under the file's id as well, where every server with the same place
/// finds it: `uploads/{id}` and `partial/{id}` of a directory. Another server continues an upload with
/// only the id and the offset.
package protocol FileDepot: AnyObject, Sendable {
  /// Makes the place ready, and starts removing files that earlier processes were receiving when they
  /// ended.
  ///
  /// Called once, before everything but ``remove(_:completion:)``, with the store's lock held.
  ///
  /// - Throws: ``StoreError`` when the place cannot be used and waiting would not help.
  func prepare() throws

  /// Whether more bytes can be stored without using up the reserve, as far as known.
  ///
  /// Queries the file system.
  func hasRoom(for byteCount: Int64) -> Bool

  /// Starts receiving a file.
  ///
  /// - Parameter id: An id that no other file has; see ``FileID``.
  func beginUpload(_ id: String) -> any FileUpload

  /// Starts receiving the new content of a complete file. The old content stays until the new one is
  /// complete, and if that fails.
  ///
  /// Concurrent attempts at the same file do not interfere: each has a place of its own.
  func beginReplacement(of id: String) -> any FileUpload

  /// Continues to receive a file that may come over several requests, or starts to.
  ///
  /// Only one request may do so at a time, which the store ensures.
  func continueUpload(
    _ request: PartialFileRequest, completion: @escaping FileCompletion<any PartialFile>)

  /// Opens a complete file; it stays readable until it is released, where the place allows that.
  func open(_ id: String) throws(FileReadError) -> ReadableFile

  /// Removes files, complete or not; a missing file counts as removed.
  ///
  /// - Parameter completion: Called once they are permanently removed; with a failure when the depot
  ///   stops trying, and never when it is closed first.
  func remove(
    _ ids: [String], completion: @escaping @Sendable (Result<Void, any Error>) -> Void)

  /// Lists complete files that an earlier process may have left without a message.
  ///
  /// Files that a server is still receiving, or whose message it is still storing, are left out.
  ///
  /// - Parameter token: The ``FilePage/next`` of the page before; `nil` for the first.
  func suspects(
    after token: String?,
    completion: @escaping @Sendable (Result<FilePage, any Error>) -> Void)

  /// Closes the depot; a directory first carries out the pending requests.
  ///
  /// Blocks until then.
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
}

/// A file that is being received.
///
/// Requests are carried out in order. The file does not exist until the upload is complete, and an
/// upload that is released earlier leaves nothing.
package protocol FileUpload: AnyObject, Sendable {
  /// The id of the file.
  var id: String { get }

  /// The bytes that were accepted and are still in memory.
  var heldByteCount: Int { get }

  /// Appends bytes; once that has failed, all later calls fail.
  ///
  /// - Parameter completion: Called when more bytes can be accepted without filling memory.
  func write(
    _ bytes: [UInt8], completion: @escaping @Sendable (Result<Void, any Error>) -> Void)

  /// Completes the file under its id, durably.
  func complete(completion: @escaping @Sendable (Result<Void, any Error>) -> Void)

  /// Removes the bytes received so far; a complete file is left unchanged.
  func discard()
}

/// A complete file that can be read.
package enum ReadableFile: Sendable {
  /// On a file system, sent from there by the kernel.
  case local(OpenFile)
  /// Elsewhere, read in ranges.
  case remote(any RemoteFile)
}

/// A complete file on another machine.
package protocol RemoteFile: Sendable {
  /// The maximum length of one range.
  var maximumStretch: Int { get }

  /// Determines the length of the file.
  func measure(
    completion: @escaping @Sendable (Result<Int64, FileReadError>) -> Void
  ) -> FileReading

  /// Reads a whole range; it is never empty and never extends beyond the end.
  func read(
    _ range: Range<Int64>,
    completion: @escaping @Sendable (Result<FileStretch, FileReadError>) -> Void
  ) -> FileReading
}

/// A range of a file.
package struct FileStretch: Sendable {
  package let bytes: [UInt8]
  /// The length of the whole file.
  package let fileByteCount: Int64
}

/// A read in progress.
package struct FileReading: Sendable {
  private let end: @Sendable () -> Void

  /// - Parameter end: Ends the read, unless it has ended.
  package init(end: @escaping @Sendable () -> Void) { self.end = end }

  /// Ends it; its completion is not called unless that call is already running.
  package func cancel() { end() }
}

/// The reason why a file cannot be read.
package enum FileReadError: Error, Sendable, Hashable {
  /// There is no such file.
  case missing
  /// The content is not what was stored.
  case damaged(reason: String)
  /// The place is failing at present.
  case unavailable(reason: String)
}
