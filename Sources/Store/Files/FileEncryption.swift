import Reactor

/// Copies an unencrypted file to an upload that encrypts it.
final class FileEncryption: Sendable {
  private let file: ReadableFile
  private let byteCount: Int64
  private let upload: any FileUpload
  private let lane: FileWorkers.Lane
  private let completion: @Sendable (Result<Void, any Error>) -> Void

  private static let stretch: Int64 = 1 << 18

  init(
    _ file: ReadableFile, byteCount: Int64, to upload: any FileUpload,
    on lane: FileWorkers.Lane, _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    self.file = file
    self.byteCount = byteCount
    self.upload = upload
    self.lane = lane
    self.completion = completion
  }

  func proceed(from offset: Int64 = 0) {
    if case .local(let file) = file, file.byteCount != byteCount { return failByLength() }
    guard offset < byteCount else { return upload.complete(completion: completion) }
    let range = offset..<min(offset + Self.stretch, byteCount)
    switch file {
    case .local(let file):
      let isAccepted = lane.submit { [self] in
        do throws(SystemError) {
          write(try file.read(from: offset, atMost: range.count), range)
        } catch {
          fail(error)
        }
      }
      if !isAccepted { fail(StoreError.closed) }
    case .remote(let file):
      _ = file.read(range) { [self] result in
        switch result {
        case .success(let stretch):
          guard stretch.fileByteCount == byteCount else { return failByLength() }
          write(stretch.bytes, range)
        case .failure(let error): fail(error)
        }
      }
    }
  }

  private func write(_ bytes: [UInt8], _ range: Range<Int64>) {
    guard bytes.count == range.count else {
      return fail(FileReadError.damaged(reason: "it is cut"))
    }
    upload.write(bytes) { [self] result in
      switch result {
      case .success: proceed(from: range.upperBound)
      case .failure(let error): fail(error)
      }
    }
  }

  /// Another attempt may have replaced the file, whose bytes are then encrypted.
  private func failByLength() {
    fail(FileReadError.damaged(reason: "it has another length"))
  }

  private func fail(_ error: any Error) {
    upload.discard()
    completion(.failure(error))
  }
}
