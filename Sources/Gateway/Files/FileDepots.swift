import Configuration
import Logging
import S3
import Store

/// The depots that `files.store` may name.
enum FileDepots {
  /// Makes the one that is set.
  static func make(_ settings: Settings, logger: Logger) throws -> any FileDepot {
    switch settings.files.store {
    case .dataDirectory: try DirectoryDepot(dataDirectory: settings.dataDirectory)
    case .directory(let path): try DirectoryDepot(sharedDirectory: path)
    case .bucket(let place): try S3Depot(S3Account(place, settings.files), logger: logger)
    }
  }
}

extension S3Account {
  /// The settings have been checked: the key and its secret are there.
  fileprivate init(_ place: BucketPlace, _ settings: FileSettings) {
    self.init(
      bucketURL: place.url, region: place.region, prefix: place.prefix,
      key: settings.bucketKey?.value ?? "", secret: settings.bucketSecret?.value ?? "")
  }
}
