// SPDX-License-Identifier: Apache-2.0

// Renders a kustomization or a chart with the libraries of kustomize and Helm themselves, as
// `kubectl kustomize FOLDER` and `helm template NAME CHART --namespace NS -f VALUES` do, and prints
// the objects as YAML. The programs would bring a registry client and a package manager along.
// `strict` reads objects into Kubernetes' own types, and refuses fields that these don't have.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const usage = `usage: render kustomize FOLDER
       render helm CHART RELEASE NAMESPACE [VALUES_FILE...]
       render strict <OBJECTS`

func kustomize(folder string) (string, error) {
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return "", err
	}
	text, err := objects.AsYaml()
	return string(text), err
}

// The notes come last, as comments: a test can read them, and YAML stays YAML.
func helm(folder, release, namespace string, files []string) (string, error) {
	chart, err := loader.LoadDir(folder)
	if err != nil {
		return "", err
	}
	if err := chart.Validate(); err != nil {
		return "", err
	}
	given := chartutil.Values{}
	for _, file := range files {
		more, err := chartutil.ReadValuesFile(file)
		if err != nil {
			return "", err
		}
		given = chartutil.CoalesceTables(more, given) // the later file wins
	}
	options := chartutil.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValues(chart, given, options, chartutil.DefaultCapabilities)
	if err != nil {
		return "", err
	}
	texts, err := engine.Engine{Strict: true}.Render(chart, values)
	if err != nil {
		return "", err
	}
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	sort.Strings(names)
	var out, notes strings.Builder
	for _, name := range names {
		text := strings.TrimSpace(texts[name])
		switch {
		case text == "" || strings.Contains(name, "/templates/_"):
		case strings.HasSuffix(name, "NOTES.txt"):
			notes.WriteString("# " + strings.ReplaceAll(text, "\n", "\n# ") + "\n")
		default:
			out.WriteString("---\n" + text + "\n")
		}
	}
	return out.String() + notes.String(), nil
}

func strict(input io.Reader) (string, error) {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(input))
	count := 0
	for {
		document, err := documents.Read()
		if err == io.EOF {
			return fmt.Sprintf("%d objects\n", count), nil
		}
		if err != nil {
			return "", err
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return "", fmt.Errorf("object %d: %w", count+1, err)
		}
		if object == nil || kind == nil {
			return "", fmt.Errorf("object %d is empty", count+1)
		}
		count++
	}
}

func run(arguments []string) (string, error) {
	switch {
	case len(arguments) == 2 && arguments[0] == "kustomize":
		return kustomize(arguments[1])
	case len(arguments) >= 4 && arguments[0] == "helm":
		return helm(arguments[1], arguments[2], arguments[3], arguments[4:])
	case len(arguments) == 1 && arguments[0] == "strict":
		return strict(os.Stdin)
	}
	return "", errors.New(usage)
}

func main() {
	text, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}
