package import Thumbnails

/// The files of messages.
package struct FileSettings: Sendable, Equatable {
  /// The place where the files are stored.
  package var store = FilePlace.dataDirectory
  /// The access key of a bucket, and its secret.
  package var bucketKey: Secret?
  package var bucketSecret: Secret?
  /// The base URL of the addresses of files; that of the uploading request when absent.
  package var publicURL: String?
  /// Whether files of messages are stored encrypted and require a key.
  package var encryption = FileEncryptionUse.off
  /// The path of the file with the master keys; in the data directory when absent.
  package var masterKeys: String?
  /// A command that prints the master keys.
  package var masterKeyCommand: String?
  /// The time for which a user's key can open files.
  package var keySeconds: Int64 = 259_200
  /// The time for which a participant with a lost connection keeps its access.
  package var graceSeconds: Int64 = 60
}

/// The files that are stored encrypted.
package enum FileEncryptionUse: String, Sendable, CaseIterable {
  /// Files for which encryption was requested.
  case off
  /// All files of messages.
  case on
}

/// Thumbnails of uploaded pictures and films.
package struct ThumbnailSettings: Sendable, Equatable {
  package var mode = ThumbnailMode.auto
  package var sandbox = ThumbnailSandbox.auto
  /// The number of files processed at a time; 0 for half the cores, at least 2.
  package var concurrency = 0
  /// The maximum number of waiting files.
  package var queue = 1_000
  /// The maximum number of pixels in a picture or a frame.
  package var maxPixels = 100_000_000
  /// The processor time limit of each program run, in milliseconds.
  package var cpuMilliseconds = 5_000
  /// The address space limit of a program that decodes a picture; for a film it is twice as large.
  package var memoryBytes = 536_870_912
}
