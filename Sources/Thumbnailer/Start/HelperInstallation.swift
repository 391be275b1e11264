internal import Glibc
internal import Reactor
internal import Thumbnails

/// The place of `parley-thumbnail`, and whether bubblewrap runs around it.
package struct HelperInstallation: Sendable, Hashable {
  package let helper: String
  /// The path of `bwrap`; `nil` when it is not used.
  package var bubblewrap: String?
  /// Directories that the helper's own libraries lie in, apart from the system's.
  package var libraries: [String]

  package init(helper: String, bubblewrap: String? = nil, libraries: [String] = []) {
    self.helper = helper
    self.bubblewrap = bubblewrap
    self.libraries = libraries
  }

  /// The path to start, and its arguments.
  func commandLine(of command: HelperCommand) -> (path: String, arguments: [String]) {
    guard let bubblewrap else { return (helper, command.arguments) }
    let paths = [helper] + libraries + command.programs.paths
    return (bubblewrap, Self.namespaces(with: paths) + ["--", helper] + command.arguments)
  }

  /// Namespaces of their own for everything, with nothing in the file system but libraries and
  /// programs.
  private static func namespaces(with paths: [String]) -> [String] {
    ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--clearenv"]
      + systemDirectories
      + ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--proc", "/proc"]
      // Debian's links to libraries that have several makers lead through here.
      + ["--ro-bind-try", "/etc/alternatives", "/etc/alternatives"]
      + ["--dev-bind", "/dev/null", "/dev/null", "--dev-bind", "/dev/urandom", "/dev/urandom"]
      // Beneath /usr they are there already.
      + paths.filter { !$0.hasPrefix("/usr/") }.flatMap { ["--ro-bind", $0, $0] }
      + ["--chdir", "/"]
  }

  /// `/usr`, and what of its parts stands beside it: links to it, on most systems.
  private static var systemDirectories: [String] {
    ["--ro-bind", "/usr", "/usr"]
      + ["/lib", "/lib64", "/bin"].flatMap { path in
        if let target = Kernel.linkTarget(path) { return ["--symlink", target, path] }
        return ["--ro-bind-try", path, path]
      }
  }
}

/// The programs of this machine.
package struct ProgramSearch: Sendable {
  private let directories: [String]

  package init(directories: [String] = ["/usr/local/bin", "/usr/bin", "/bin"]) {
    self.directories = directories
  }

  /// - Returns: The path of a program that can be executed; `nil` when there is none.
  package func find(_ name: String) -> String? {
    directories.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
