// Which files of a folder are a configuration: a repository holds many others, and some that are one only once they are
// rendered or built.
//
//   const std::vector<std::string> paths = {"."};
//   apf::FolderContents contents;
//   const std::vector<apf::ConfigText> texts = apf::read_related_files(paths, contents);
//   std::printf("%zu files hold nothing that limits requests\n", contents.unrelated);
//
// The functions keep no state: several threads may call them at once. Throws apf::Error as read_config_files() does.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <apf/config.h>

namespace apf {

// A kustomization.yaml: which files and folders it puts together, by paths like the names of texts.
struct Kustomization {
  std::string folder;                   // "overlays/prod"
  std::vector<std::string> resources;   // files and folders
  std::vector<std::string> components;  // folders
  std::vector<std::string> patches;     // files: parts of objects
  // Objects that it changes, by regular expressions for the whole name; empty: any.
  struct Change {
    std::string by;  // "patches"
    std::string group, kind, name;
  };
  std::vector<Change> changes;
  bool adds = false;       // objects of charts and generators
  bool renames = false;    // all objects, and no FlowSchema's reference to its level
  bool elsewhere = false;  // in no folder given: one that is given builds with it
};

// What of folders was left out, and how the rest belongs together.
struct FolderContents {
  std::size_t unrelated = 0;           // files without an object of the kinds
  std::size_t templates = 0;           // files that are to be rendered first, those of `needed` included
  std::vector<std::string> needed;     // templates that render to objects of the kinds
  std::vector<std::string> patches;    // files with parts of such objects, which a kustomization names
  std::vector<std::string> fixtures;   // files with objects that tests and samples are about
  std::vector<std::string> hidden;     // files in folders that begin with a dot: they may hold such objects
  std::vector<std::string> elsewhere;  // files in no folder given that kustomizations build with: they are read
  std::vector<Kustomization> kustomizations;
};

// Which objects a command looks at.
enum class WantedObjects {
  limits,  // those that load_config() reads
  all,     // all Kubernetes objects, as manifests for quotas have them
};

// As read_config_files() without those files of folders that hold no such object, and without fixtures of tests unless
// they are asked for; and with the bases and components of kustomizations that are found, wherever they stand. A file
// that is named is kept. What a document is, its apiVersion and kind say, never a word in it.
APF_API std::vector<ConfigText> read_related_files(std::span<const std::string> paths, FolderContents& contents,
                                                   WantedObjects wanted = WantedObjects::limits, bool fixtures = false);

// The same of texts of a folder that were read elsewhere: removes those that are none.
APF_API void remove_unrelated(std::vector<ConfigText>& texts, FolderContents& contents,
                              WantedObjects wanted = WantedObjects::limits);

// Texts whose objects make one configuration. What other sets hold may be of another cluster, or of another
// environment.
struct ConfigSet {
  std::string name;                // "overlays/prod"; empty: all texts
  std::vector<std::size_t> texts;  // indexes, in their order
  bool partial = false;  // a kustomization builds it with objects of other sets, or with some that are not read
  bool renamed = false;  // a kustomization changes the names of its objects
  std::vector<std::string> changed;  // kinds of which a kustomization changes objects
  std::string changed_by;            // "patches and replacements"
  std::size_t withheld = 0;          // findings of lint about such objects, which a build may not have
};

// At least one set, and each text is in one at least. `read` is what load_config() read of all of them, if it did.
APF_API std::vector<ConfigSet> sets_of(std::span<const ConfigText> texts, const FolderContents& contents,
                                       const LoadedConfig* read = nullptr);

}  // namespace apf
