import Basics
import Dispatch
import Logging
import Reactor
import Synchronization
import Thumbnails

/// A picture of a preview that is on disk.
struct ShelvedPicture: Sendable, Hashable {
  let name: PictureName
  let format: ThumbnailFormat
  let size: PictureSize
  let byteCount: Int64

  /// The file name, which contains all that is needed to restore the picture at startup.
  var fileName: String {
    "\(name.text)-\(size.width)x\(size.height)-\(byteCount).\(format.fileExtension)"
  }
}

extension ShelvedPicture {
  /// - Returns: `nil` for a file name that no picture of this shelf can have.
  init?(fileName: String) {
    let stem = fileName.split(separator: ".", omittingEmptySubsequences: false)
    guard stem.count == 2, let format = ThumbnailFormat(fileExtension: String(stem[1])) else {
      return nil
    }
    let parts = stem[0].split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let name = PictureName(text: String(parts[0])),
      let box = ThumbnailBox(String(parts[1])), let byteCount = Int64(parts[2])
    else { return nil }
    self.init(
      name: name, format: format, size: PictureSize(width: box.maxWidth, height: box.maxHeight),
      byteCount: byteCount)
    guard self.fileName == fileName else { return nil }
  }
}

extension ThumbnailFormat {
  var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .png: "png"
    }
  }

  fileprivate init?(fileExtension: String) {
    switch fileExtension {
    case "jpg": self = .jpeg
    case "png": self = .png
    default: return nil
    }
  }
}

/// The pictures of previews on disk.
///
/// The least recently used pictures are removed to make room.
///
/// A cache: its directory may be deleted while the server is down.
final class PictureShelf: Sendable {
  /// The name of the directory in the data directory.
  static let directoryName = "preview-pictures"
  /// The largest number of files that are kept, whatever their size.
  private static let countLimit = 100_000

  fileprivate struct Place {
    let picture: ShelvedPicture
    var usedAt: UInt64
  }

  fileprivate struct State {
    var places: [PictureName: Place] = [:]
    var byteCount: Int64 = 0
    var clock: UInt64 = 0
  }

  private let directory: String
  private let byteLimit: Int64
  private let logger: Logger
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "preview-pictures")

  /// Loads the files in the directory, which is created if it is missing.
  init(directory: String, byteLimit: Int64, logger: Logger) throws(SystemError) {
    self.directory = directory
    self.byteLimit = byteLimit
    self.logger = logger
    for fileName in try SmallFileDirectory.open(directory) {
      if let picture = ShelvedPicture(fileName: fileName), picture.byteCount <= byteLimit {
        _ = state.withLock { $0.insert(picture) }
      } else {
        SmallFileDirectory.remove(directory + "/" + fileName)
      }
    }
    makeRoom()
  }

  var byteCount: Int64 { state.withLock { $0.byteCount } }
  var count: Int { state.withLock { $0.places.count } }

  /// Looks a picture up in memory.
  func find(_ name: PictureName) -> ShelvedPicture? { state.withLock { $0.use(name) } }

  /// Opens the file of a picture; completes on the shelf's queue.
  ///
  /// - Parameter completion: Receives `nil` when the picture is missing or incomplete.
  func open(
    _ picture: ShelvedPicture, completion: @escaping @Sendable (OpenFile?) -> Void
  ) {
    queue.async { [self] in
      let file = try? OpenFile(readingFrom: path(of: picture))
      if let file, file.byteCount == picture.byteCount { return completion(file) }
      _ = state.withLock { $0.remove(picture.name) }
      SmallFileDirectory.remove(path(of: picture))
      completion(nil)
    }
  }

  /// Stores a picture; completes on the shelf's queue.
  ///
  /// - Parameter completion: Receives `nil` when the picture cannot be written, or exceeds the limit.
  func keep(
    _ thumbnail: Thumbnail, as name: PictureName,
    completion: @escaping @Sendable (ShelvedPicture?) -> Void
  ) {
    let picture = ShelvedPicture(
      name: name, format: thumbnail.format, size: thumbnail.size,
      byteCount: Int64(thumbnail.bytes.count))
    guard picture.byteCount <= byteLimit else { return completion(nil) }
    queue.async { [self] in
      do throws(SystemError) {
        try SmallFileDirectory.write(thumbnail.bytes, to: path(of: picture))
      } catch {
        logger.error("a picture cannot be kept", metadata: ["reason": "\(error)"])
        return completion(nil)
      }
      let replaced = state.withLock { $0.insert(picture) }
      if let replaced, replaced != picture { SmallFileDirectory.remove(path(of: replaced)) }
      makeRoom()
      completion(picture)
    }
  }

  private func makeRoom() {
    let removed = state.withLock { $0.makeRoom(bytes: byteLimit, count: Self.countLimit) }
    for picture in removed { SmallFileDirectory.remove(path(of: picture)) }
  }

  private func path(of picture: ShelvedPicture) -> String { directory + "/" + picture.fileName }
}

extension PictureShelf.State {
  fileprivate mutating func use(_ name: PictureName) -> ShelvedPicture? {
    clock += 1
    places[name]?.usedAt = clock
    return places[name]?.picture
  }

  @discardableResult
  fileprivate mutating func insert(_ picture: ShelvedPicture) -> ShelvedPicture? {
    let replaced = remove(picture.name)
    clock += 1
    places[picture.name] = PictureShelf.Place(picture: picture, usedAt: clock)
    byteCount += picture.byteCount
    return replaced
  }

  @discardableResult
  fileprivate mutating func remove(_ name: PictureName) -> ShelvedPicture? {
    guard let place = places.removeValue(forKey: name) else { return nil }
    byteCount -= place.picture.byteCount
    return place.picture
  }

  /// Removes a tenth more than necessary, so that pictures are not removed at every insertion.
  fileprivate mutating func makeRoom(bytes: Int64, count: Int) -> [ShelvedPicture] {
    guard byteCount > bytes || places.count > count else { return [] }
    var removed: [ShelvedPicture] = []
    for place in places.values.sorted(by: { $0.usedAt < $1.usedAt }) {
      guard byteCount > bytes - bytes / 10 || places.count > count - count / 10 else { break }
      remove(place.picture.name)
      removed.append(place.picture)
    }
    return removed
  }
}
