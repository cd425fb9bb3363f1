{{- /* Labels that never change: a Deployment's selector can't. */ -}}
{{- define "kneepoint.selector" -}}
app.kubernetes.io/name: kneepoint
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "kneepoint.labels" -}}
{{ include "kneepoint.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* Name of all that belongs to one controller; its folder has it too, and by that its Jobs. */ -}}
{{- define "kneepoint.controller" -}}
{{ .Release.Name }}-{{ if eq .Values.controller.kind "study" }}controller{{ else }}nightly{{ end }}
{{- end }}

{{- define "kneepoint.runs" -}}
matchLabels:
  app.kubernetes.io/managed-by: kneepoint
matchExpressions:
  - {key: kneepoint.io/controller, operator: Exists}
{{- end }}

{{- define "kneepoint.podLabels" -}}
{{ include "kneepoint.selector" . }}
app.kubernetes.io/component: controller
{{- end }}

{{- /* A pod of the controller; `command` is what it runs. */ -}}
{{- define "kneepoint.pod" -}}
{{- $name := include "kneepoint.controller" .root -}}
{{- $controller := .root.Values.controller -}}
serviceAccountName: {{ .root.Release.Name }}
automountServiceAccountToken: true
enableServiceLinks: false
terminationGracePeriodSeconds: 60
{{- with $controller.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
containers:
  - name: controller
    image: "{{ $controller.image.repository }}:{{ $controller.image.tag | default .root.Chart.AppVersion }}"
    imagePullPolicy: {{ $controller.image.pullPolicy }}
    command:
      {{- toYaml .command | nindent 6 }}
    {{- if eq $controller.kind "study" }}
    ports:
      - {name: push, containerPort: 8443}
    {{- end }}
    env:
      - {name: KNEEPOINT_DB, value: /var/lib/{{ $name }}/kneepoint.db}
      - {name: HOME, value: /var/lib/{{ $name }}}
    resources:
      {{- toYaml $controller.resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: [ALL]
    volumeMounts:
      - {name: state, mountPath: /var/lib/{{ $name }}}
      - {name: config, mountPath: /etc/kneepoint, readOnly: true}
      - {name: tmp, mountPath: /tmp}
volumes:
  - name: state
    persistentVolumeClaim: {claimName: {{ $name }}}
  - name: config
    configMap: {name: {{ $name }}}
  - name: tmp
    emptyDir: {}
{{- with $controller.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $controller.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $controller.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
