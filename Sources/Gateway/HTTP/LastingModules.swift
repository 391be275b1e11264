import Basics
import Logging
import Reactor
import Synchronization

/// A module under a name that contains the beginning of the SHA-256 of its content.
struct LastingModule: Sendable {
  /// The beginnings of the names.
  static let stems = ["parley-", "parley-store-", "parley-streams-", "parley-views-"]

  let content: [UInt8]
  /// The file name, such as `parley-0f1e2d3c4b5a6978.js`.
  let name: String

  /// - Parameter stem: One of ``stems``.
  init(_ content: [UInt8], stem: String) {
    self.content = content
    let hash = Hexadecimal.encode(EmbeddedDocument.digest(of: content)).prefix(Self.hashLength)
    name = "\(stem)\(hash).js"
  }

  /// The beginning of a name; `nil` when it is not that of a lasting module.
  static func stem(of name: String) -> String? {
    guard name.hasSuffix(".js") else { return nil }
    let stem = String(name.dropLast(hashLength + 3))
    let hash = name.dropFirst(stem.count).dropLast(3)
    return stems.contains(stem) && hash.allSatisfy { $0.isHexDigit && !$0.isUppercase }
      ? stem : nil
  }

  private static let hashLength = 16
}

/// The modules that are served under lasting names, with those of the versions that ran here before.
///
/// Each start writes the present modules into a directory of this server, from where later versions
/// serve them: pages that name a version work on after an upgrade.
final class LastingModules: Sendable {
  /// The directory in the data directory.
  static let directoryName = "modules"
  /// The number of versions of a module that are kept.
  static let versionLimit = 20
  /// The largest content of a file that is served.
  private static let byteLimit = 1 << 20

  private let directory: String?
  /// The names of former modules in the directory.
  private let former: Set<String>
  private let documents: Mutex<[String: EmbeddedDocument]>

  /// Creates modules without former versions.
  init(_ present: [LastingModule] = ClientFiles.lasting) {
    (directory, former) = (nil, [])
    documents = Mutex(Self.documents(of: present))
  }

  /// Keeps the present modules in a directory, which is created if it is missing.
  ///
  /// A directory that cannot be used is logged, and costs former versions only.
  init(
    _ present: [LastingModule] = ClientFiles.lasting, inDirectory directory: String, logger: Logger
  ) {
    self.directory = directory
    documents = Mutex(Self.documents(of: present))
    do throws(SystemError) {
      former = try Self.keep(present, in: directory)
    } catch {
      former = []
      logger.warning(
        "modules of earlier versions are not served", metadata: ["reason": "\(error)"])
    }
  }

  /// Finds a module by its file name; `nil` when there is none.
  func document(named name: String) -> EmbeddedDocument? {
    documents.withLock { documents in
      if let known = documents[name] { return known }
      guard let directory, former.contains(name), let stem = LastingModule.stem(of: name),
        let content = try? FileContents.read(directory + "/" + name, atMost: Self.byteLimit)
      else { return nil }
      let module = LastingModule(content, stem: stem)
      // A damaged file must not be cached under the name of another content.
      guard module.name == name else { return nil }
      let document = ClientFiles.document(of: module)
      documents[name] = document
      return document
    }
  }

  private static func documents(of modules: [LastingModule]) -> [String: EmbeddedDocument] {
    Dictionary(
      modules.map { ($0.name, ClientFiles.document(of: $0)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Writes modules, and removes the versions that were served longest ago.
  ///
  /// - Returns: The names in the directory.
  private static func keep(
    _ present: [LastingModule], in directory: String
  ) throws(SystemError) -> Set<String> {
    _ = try SmallFileDirectory.open(directory)
    // Also those that are there: the order of the files is that of their last start.
    for module in present {
      try SmallFileDirectory.write(module.content, to: directory + "/" + module.name)
    }
    var kept: Set<String> = []
    let names = try SmallFileDirectory.open(directory)
    let presentNames = Set(present.map(\.name))
    for stem in LastingModule.stems {
      let versions = names.filter {
        LastingModule.stem(of: $0) == stem && !presentNames.contains($0)
      }
      let room = versionLimit - present.count { LastingModule.stem(of: $0.name) == stem }
      for name in versions.dropLast(max(0, room)) {
        SmallFileDirectory.remove(directory + "/" + name)
      }
      kept.formUnion(versions.suffix(max(0, room)))
    }
    return kept
  }
}
