package import Thumbnails

/// The files of messages.
package struct FileSettings: Sendable, Equatable {
  /// The place where they are kept.
  package var store = FilePlace.dataDirectory
  /// The access key of a bucket, and its secret.
  package var bucketKey: Secret?
  package var bucketSecret: Secret?
  /// The base of the addresses of files; that of the uploading request when absent.
  package var publicURL: String?
  /// Whether files of messages are stored encrypted, and need a key.
  package var encryption = FileEncryptionUse.off
  /// The path of the file with the master keys; in the data directory when absent.
  package var masterKeys: String?
  /// A command that prints the master keys.
  package var masterKeyCommand: String?
  /// The time for which a user's key opens files.
  package var keySeconds: Int64 = 259_200
  /// The time for which a participant whose connection was lost keeps its right.
  package var graceSeconds: Int64 = 60
}

/// The files that are stored encrypted.
package enum FileEncryptionUse: String, Sendable, CaseIterable {
  /// Those for which it is asked.
  case off
  /// All files of messages.
  case on
}

/// Thumbnails of uploaded pictures and films.
package struct ThumbnailSettings: Sendable, Equatable {
  package var mode = ThumbnailMode.auto
  package var sandbox = ThumbnailSandbox.auto
  /// The files that are worked on at a time; 0 for half the cores, at least 2.
  package var concurrency = 0
  /// The files that may wait.
  package var queue = 1_000
  /// The pixels that a picture or a frame may have.
  package var maxPixels = 100_000_000
  /// The processor time of each program that runs, in milliseconds.
  package var cpuMilliseconds = 5_000
  /// The address space of a program that decodes a picture; one that decodes a film has twice of it.
  package var memoryBytes = 536_870_912
}
