/// A file that is opened when the work on it starts, possibly much later than the request.
package protocol ThumbnailSource: Sendable {
  /// Opens the file, and reports it from any thread, once.
  ///
  /// Called on the thumbnail thread, which must not block.
  func open(_ completion: @escaping @Sendable (Result<ThumbnailFile, any Error>) -> Void)
}

/// A file on disk that is not encrypted.
package struct PlainFileSource: ThumbnailSource {
  private let path: String

  package init(path: String) { self.path = path }

  package func open(_ completion: (Result<ThumbnailFile, any Error>) -> Void) {
    completion(Result { try ThumbnailFile(readingFrom: path) })
  }
}
