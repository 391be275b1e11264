import Cluster
import Glibc

extension LinkVersions {
  /// The variable by which a test has a server speak as one of the version before does.
  ///
  /// So a test of an upgrade needs no older program. It is no setting: nobody runs a server so.
  static let variable = "PARLEYD_LINK_VERSION"

  /// The versions that this process speaks.
  static var ofProcess: LinkVersions {
    LinkVersions(named: getenv(variable).map { String(cString: $0) })
  }

  /// The versions of this program, or without the newest for the word `previous`.
  init(named word: String?) {
    let current = LinkVersions.current
    let isPrevious = word == "previous" && current.highest > current.lowest
    self.init(
      lowest: current.lowest, highest: isPrevious ? current.highest - 1 : current.highest)
  }
}
