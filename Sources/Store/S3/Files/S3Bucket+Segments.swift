/// Segments of unfinished files.
extension S3Bucket {
  /// Lists the segments of a file.
  func segments(of fileID: String, completion: @escaping Completion<[UploadSegment]>) {
    segments(of: fileID, behind: [], after: nil, completion)
  }

  private func segments(
    of fileID: String, behind found: [UploadSegment], after token: String?,
    _ completion: @escaping Completion<[UploadSegment]>
  ) {
    let folder = UploadSegment.folder(of: fileID)
    list(folder, after: token) { [self] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let page):
        let found =
          found
          + page.entries.compactMap { entry in
            entry.value("Key").flatMap(path).flatMap {
              UploadSegment(name: $0.dropFirst(folder.count))
            }
          }
        guard let next = page.next else { return completion(.success(found)) }
        segments(of: fileID, behind: found, after: next, completion)
      }
    }
  }

  /// Reads a whole segment; `nil` when there is none.
  func read(
    _ segment: UploadSegment, of fileID: String, completion: @escaping Completion<[UInt8]?>
  ) {
    _ = read(segment.path(of: fileID), 0..<Int64(segment.range.count)) {
      completion($0.map { $0?.bytes })
    }
  }
}
