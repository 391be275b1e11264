import Foundation

@testable import Store

/// A directory that takes files to be removed, and never gets round to it.
final class HoldingDepot: FileDepot {
  private let depot: DirectoryDepot
  private let directory: TemporaryDirectory

  init(in directory: TemporaryDirectory) throws {
    self.directory = directory
    try FileManager.default.createDirectory(
      atPath: directory.path, withIntermediateDirectories: true)
    depot = try DirectoryDepot(dataDirectory: directory.path)
  }

  func prepare() throws { try depot.prepare() }

  func beginUpload(_ id: String) -> any FileUpload { depot.beginUpload(id) }

  func beginReplacement(of id: String) -> any FileUpload { depot.beginReplacement(of: id) }

  func continueUpload(
    _ request: PartialFileRequest, completion: @escaping FileCompletion<any PartialFile>
  ) {
    depot.continueUpload(request, completion: completion)
  }

  func open(_ id: String) throws(FileReadError) -> ReadableFile { try depot.open(id) }

  func remove(
    _ ids: [String], completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {}

  func suspects(
    after token: String?,
    completion: @escaping @Sendable (Result<FilePage, any Error>) -> Void
  ) {
    depot.suspects(after: token, completion: completion)
  }

  func close() { depot.close() }
}
