import Configuration
import Logging
import Store

/// The depots that `files.store` may name.
enum FileDepots {
  /// Creates the configured depot.
  static func make(_ settings: Settings, logger: Logger) throws -> any FileDepot {
    let reserve = settings.limits.diskReserveBytes
    switch settings.files.store {
    case .dataDirectory:
      return try DirectoryDepot(dataDirectory: settings.dataDirectory, reserve: reserve)
    case .directory(let path):
      return try DirectoryDepot(sharedDirectory: path, reserve: reserve)
    case .bucket(let place):
      let disk = try DirectoryDepot(dataDirectory: settings.dataDirectory, reserve: reserve)
      return try S3Depot(S3Account(place, settings.files), spoolingTo: disk, logger: logger)
    }
  }
}

extension S3Account {
  /// The settings have been checked: the key and its secret are present.
  init(_ place: BucketPlace, _ settings: FileSettings) {
    self.init(
      bucketURL: place.url, region: place.region, prefix: place.prefix,
      key: settings.bucketKey?.value ?? "", secret: settings.bucketSecret?.value ?? "")
  }
}
